import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { stateFolderPath } from '@farhand/device/state/state-folder-path'
import type { CommandTree } from './command-tree.ts'
import { completeCommand } from './complete-command.ts'

// The program that the shell scripts of an installation call at every Tab. Building the command tree from the command
// itself would be too slow for a Tab, so `farhand commands` prints it into commands.json when the package is built.
const beside = fileURLToPath(new URL('commands.json', import.meta.url))
const tree: CommandTree = JSON.parse(readFileSync(beside, 'utf8'))
const { env, platform, execPath, argv } = process
const here = { env, platform, home: homedir(), cwd: process.cwd() }
const context = {
  ...here,
  self: [execPath, argv[1] ?? ''] as const,
  out: (text: string) => process.stdout.write(text),
}

process.stdout.on('error', () => {})
void completeCommand(tree, argv.slice(argv.indexOf('--') + 1), stateFolderPath(undefined, here), context)
