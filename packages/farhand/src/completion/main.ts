import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { stateFolderPath } from '../context/state-folder-path.ts'
import type { CommandTree } from './command-tree.ts'
import { completeCommand } from './complete-command.ts'

// What a shell asks at every Tab where the command is installed. To learn the commands from the command itself takes longer
// than people wait for a Tab, so they lie beside this, as `farhand commands` has printed them.
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
