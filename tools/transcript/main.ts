import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import installTerminals from '../install/install-terminals.ts'
import { cleanPlace, installPacked } from '../pack/install-packed.ts'
import { packFolder } from '../pack/pack-folder.mjs'
import { stageFarhand } from '../pack/stage-farhand.mjs'
import { firstMinutes, makeProject } from './new-user.ts'
import { styledLines } from './styled-lines.ts'
import { Terminal } from './terminal.ts'
import { terminalSvg } from './terminal-svg.ts'

const picture = fileURLToPath(new URL('../../docs/first-minutes.svg', import.meta.url))
const columns = 100

const place = mkdtempSync(path.join(tmpdir(), 'farhand-transcript-'))
const somewhere = cleanPlace(place)
const { home, command } = somewhere
const env = { ...somewhere.env, LANG: 'C.UTF-8', TERM: 'tmux-256color', PS1: '$ ' }
let terminal: Terminal | null = null
try {
  await installTerminals()
  const { file } = await packFolder(stageFarhand, place)
  const trouble = await installPacked(file, somewhere)
  if (trouble) throw new Error(trouble)
  terminal = new Terminal({ columns, rows: 40, cwd: makeProject(home, env), env })
  await firstMinutes(terminal)
  const lines = styledLines(terminal.all().replaceAll(home, '~'))
  mkdirSync(path.dirname(picture), { recursive: true })
  writeFileSync(
    picture,
    terminalSvg(lines, { columns, title: 'The first minutes with Farhand, in a terminal' }),
  )
  process.stdout.write(`${picture}: ${lines.length} lines\n`)
} finally {
  terminal?.close()
  // What works in the background on behalf of this home has to end with it.
  execFileSync(command, ['hub', 'stop'], { env, cwd: place, stdio: 'ignore' })
  rmSync(place, { recursive: true, force: true, maxRetries: 5 })
}
