import { mkdirSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { KnownRuns } from '@farhand/device/known-runs/known-runs'
import { HubProcess } from '@farhand/testkit/hub-process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endHolder, removeFolder } from '../farhand-under-test.ts'
import { hasTmux, TerminalsUnderTest } from './terminal-under-test.ts'

const bin = fileURLToPath(new URL('../../bin/farhand.cjs', import.meta.url))
const greeting =
  'This is a rehearsal: no model is involved, I only do what the words of a prompt say. `help` lists them.'

let place: string
let hub: HubProcess
let terminals: TerminalsUnderTest
let folders = 0

beforeAll(async () => {
  if (!hasTmux) return
  place = mkdtempSync(path.join(tmpdir(), 'farhand-piped-'))
  mkdirSync(path.join(place, 'state'))
  terminals = new TerminalsUnderTest(place)
  hub = await HubProcess.start({ settings: ['--runner-away-ms', '100'] })
})

afterAll(async () => {
  if (!hasTmux) return
  terminals.close()
  const runs = new KnownRuns(path.join(place, 'state'))
  for (const { at } of runs.all()) await endHolder(() => runs.holder(at.run))
  await hub.kill()
  for (const folder of [hub.data, place]) await removeFolder(folder)
})

/** A user whose shell runs this line, in a folder of its own; in it `farhand` is the command. */
function types(line: string) {
  folders += 1
  const cwd = path.join(place, `folder-${folders}`)
  mkdirSync(cwd)
  const env = {
    HOME: place,
    FARHAND_STATE: path.join(place, 'state'),
    FARHAND_URL: hub.url,
    FARHAND_TOKEN: hub.token,
  }
  const shell = `set -o pipefail; farhand() { '${process.execPath}' '${bin}' "$@"; }; ${line}`
  const me = terminals.open(['bash', '-c', shell], { env, cwd })
  return Object.assign(me, { cwd })
}

const begin = (prompt: string, more = '') => `farhand run '${prompt}' --here --agent rehearsal ${more}`

describe.skipIf(!hasTmux)('a user who pipes the agent’s words elsewhere', { timeout: 300_000 }, () => {
  it('gets nothing but those there, sees the rest, and is asked for no further message', async () => {
    const prompt = 'say one\nwrite a.txt with "hi"\nrun `seq 1 9`\nsay two'
    const me = types(begin(prompt, '> answer.md'))
    const seen = await me.sees(/left with 0: icanon echo/)
    const words = [
      greeting,
      '',
      'one',
      'I wrote a.txt (2 bytes).',
      'I ran `seq 1 9`: exit code 0.',
      '',
      'two',
      '',
    ]
    expect(readFileSync(path.join(me.cwd, 'answer.md'), 'utf8').split('\n')).toEqual(words)
    expect(seen).toMatch(/✓ Write a\.txt\n[\s\S]*✓ Run `seq 1 9`\n/)
    expect(seen).not.toMatch(/Type a message|stays open|This is a rehearsal/)
    const piped = await types(begin('say one\nsay two', '| cat')).sees(/left with 0/)
    expect(piped).toMatch(/^one\n\ntwo\n/m)
    expect(piped).not.toMatch(/Type a message|stays open/)
  })

  it('is asked what is to be done if they have not said, and only for that', async () => {
    const me = types('farhand run --here --agent rehearsal | cat')
    await me.sees(/^What should the agent do\? *$/m)
    me.type('say typed')
    me.press('Enter')
    const seen = await me.sees('left with 0: icanon echo')
    expect(seen).toMatch(/^typed$/m)
    expect(seen).not.toMatch(/Type a message|stays open/)
  })

  it('learns from the exit code how the turn ended', async () => {
    await types(begin('fail with "no money"', '| cat')).sees(/The turn failed\. no money[\s\S]*left with 1:/)
  })

  it('is told of a question, how it is answered and that it is waited for, and gets the rest of the words', async () => {
    const me = types(begin('say first\nask "Which color?" with options red, green\nsay last', '| cat'))
    const seen = await me.sees(/\? Which color\?[\s\S]*Answer it:[\s\S]*--background/)
    const [run] = /run_\w+/.exec(seen)!
    await types(`farhand answer ${run} red`).sees('left with 0')
    expect(await me.sees('left with 0: icanon echo')).toMatch(/^first\n[\s\S]*red[\s\S]*^last$/m)
  })

  it('sees no error when the reader of the pipe stops reading, and the turn goes on to its end', async () => {
    const me = types(begin('say one\nwait for 0.5 seconds\nsay two\nwrite late.txt with "late"', '| head -1'))
    const seen = await me.sees('left with 0: icanon echo')
    expect(seen).toContain('This is a rehearsal')
    expect(seen).not.toMatch(/EPIPE|Error|^two$/m)
    expect(readFileSync(path.join(me.cwd, 'late.txt'), 'utf8')).toBe('late')
    const other = types(begin('say one\nsay two', '--json | head -1'))
    await other.sees('left with 0: icanon echo')
    const json = other.screen('whole')
    expect(json).toMatch(/"event":"run"/)
    expect(json).not.toMatch(/EPIPE|Error|"event":"log"/)
  })

  it('is not kept when they only watched, and the reader of the pipe has gone', async () => {
    const me = types(begin('say 100000 chunks of 25 bytes at 20 a second'))
    await me.sees(/chunk \d+ of/)
    const [run] = /run_\w+/.exec(me.screen('whole'))!
    const looker = types(`farhand attach ${run} --json | head -3`)
    expect(await looker.sees('left with 0: icanon echo')).not.toMatch(/EPIPE|Error/)
    await me.sees('working')
    me.press('C-c')
    await me.sees('[x] close')
    me.press('x')
    await me.sees('left with 0')
  })
})
