import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { KnownRuns } from '@farhand/device/known-runs/known-runs'
import { HubProcess } from '@farhand/testkit/hub-process'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { endHolder, removeFolder } from '../farhand-under-test.ts'
import { hasTmux, TerminalsUnderTest, type TerminalUnderTest } from './terminal-under-test.ts'

const bin = fileURLToPath(new URL('../../bin/farhand.cjs', import.meta.url))

let place: string
let hub: HubProcess
let terminals: TerminalsUnderTest
let folders = 0

beforeAll(async () => {
  if (!hasTmux) return
  place = mkdtempSync(path.join(tmpdir(), 'farhand-terminal-'))
  terminals = new TerminalsUnderTest(place)
  // Two that can work, whatever else is on this machine: who names none is asked.
  const own = ['one', 'two'].map((id) => ({ id, name: id, command: process.execPath }))
  mkdirSync(path.join(place, 'state'))
  writeFileSync(path.join(place, 'state', 'agents.json'), JSON.stringify(own))
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

/** A user who has the rehearsal work in a folder of its own. */
function atTerminal(words: readonly string[], more: Record<string, string> = {}) {
  folders += 1
  const cwd = path.join(place, `folder-${folders}`)
  mkdirSync(cwd)
  const env = {
    HOME: place,
    FARHAND_STATE: path.join(place, 'state'),
    FARHAND_URL: hub.url,
    FARHAND_TOKEN: hub.token,
    ...more,
  }
  const me = terminals.open([process.execPath, bin, 'run', ...words], { env, cwd })
  return Object.assign(me, { cwd })
}

const begin = (prompt: string, more?: Record<string, string>) =>
  atTerminal([prompt, '--here', '--agent', 'rehearsal'], more)

const count = (me: TerminalUnderTest, what: RegExp) => me.screen().match(what)?.length ?? 0

describe.skipIf(!hasTmux)('a user at a terminal', { timeout: 300_000 }, () => {
  it('answers with a key, goes on with the line they were typing, pastes, and finds what they typed before', async () => {
    const me = atTerminal(['ask "Which color?" with options red, green, blue, default green', '--here'])
    const [, rehearsal = ''] = /(\d) {2}rehearsal/.exec(await me.sees(/Press 1-\d, Enter for 1; Esc leaves/))!
    me.press(rehearsal)
    await me.sees('Enter: green')
    expect(me.screen()).not.toContain('Esc leaves')
    me.press('3')
    await me.sees('→ blue')
    await me.sees('Type a message')
    expect(me.screen('colors')).toContain('38;5;')

    me.type('wait for go.txt to exist. ask permission to run `echo one`')
    me.press('Enter')
    await me.sees('working')
    me.type('say la')
    await me.sees('> say la')
    writeFileSync(path.join(me.cwd, 'go.txt'), '')
    await me.sees('Press 1-4, y or n')
    me.press('Down')
    await me.sees('› 1  Allow')
    me.press('Enter')
    await me.sees(/→ Allow[\s\S]*✓ Run `echo one` {2}one[\s\S]*> say la$/)
    me.type('ter')
    me.press('Enter')
    await me.sees(/> say later\n[\s\S]*^later$/m)

    me.paste('say first\nsay second')
    await me.sees(/> say first\n {2}say second$/)
    me.press('Enter')
    await me.sees(/^second$[\s\S]*^>$/m)
    // While the turn is under way Ctrl-C opens the menu, and keeps the line.
    await me.seesNoMore('working')
    me.press('Up')
    await me.sees(/> say first\n {2}say second$/)
    me.press('Up', 'Up')
    await me.sees(/\n> say later$/)
    me.press('C-c')
    await me.sees(/^>$\s*(?![\s\S])/m)
    me.press('C-c')
    await me.sees('[x] close the run')
    expect(me.screen()).not.toContain('cancel the turn')
    me.press('x')
    await me.sees(/is closed\.\nleft with 0: icanon echo/)
  })

  it('has a menu with Ctrl-C: goes on, cancels the turn, or leaves, and finds the run as it is', async () => {
    const me = begin('think for 100 seconds')
    await me.sees(/Thinking, [1-9]/)
    me.press('C-c')
    await me.sees('[c] cancel the turn')
    me.press('Escape')
    await me.seesNoMore('cancel the turn')
    await me.sees(/Thinking, ([3-9]|\d\d)/)
    me.press('C-c')
    await me.sees('[c] cancel the turn')
    me.press('c')
    await me.sees('Stopped.')
    me.type('think for 100 seconds')
    me.press('Enter')
    await me.sees(/Stopped[\s\S]*Thinking, [1-9]/)
    me.press('C-c')
    await me.sees('[d] detach')
    me.press('d')
    const left = await me.sees(/stays open[\s\S]*left with 0: icanon echo/)
    const [run] = /run_\w+/.exec(left)!

    const again = atTerminal(['--run', run])
    await again.sees(/Thinking, ([2-9]|\d\d)/)
    again.press('C-c', 'C-c')
    await again.sees(/stays open[\s\S]*left with 0: icanon echo/)
  })

  it('sees the end of what a command printed, and all of it with Ctrl-O', async () => {
    const me = begin('run `seq 1 30`')
    await me.sees(/✓ Run `seq 1 30`\n {2}… 25 more lines · Ctrl-O shows them\n {2}26\n[\s\S]*^ {2}30$/m)
    me.press('C-o')
    await me.sees(/^29\n30$/m)
    expect(me.screen('whole')).toMatch(/── Run `seq 1 30`\n1\n2\n/)
    me.press('C-d')
    await me.sees('left with 0')
  })

  it('has commands, modes and files of the folder completed with Tab', async () => {
    const me = begin('say hello')
    await me.sees('Type a message')
    writeFileSync(path.join(me.cwd, 'notes-of-today.md'), 'noted')
    me.type('read @no')
    me.press('Tab')
    await me.sees(/^> read @notes-of-today\.md *$/m)
    me.press('C-u')
    me.type('/mode ca')
    me.press('Tab')
    await me.sees(/^> \/mode careful *$/m)
    me.press('Enter')
    await me.sees("The agent's mode is now Careful.")
    me.press('C-d')
    await me.sees('left with 0')
  })

  it('is told which mode and which options are in force, and only by the agent', async () => {
    const me = begin('say hello')
    await me.sees('Type a message')
    const enters = async (line: string, shown: string | RegExp) => {
      me.type(line)
      me.press('Enter')
      await me.sees(shown)
    }
    await enters('/mode', /The agent's mode: Normal \(now\), Careful\nThe run's mode: interactive \(now\)/)
    await enters('/mode car', "The agent's mode is now Careful.")
    await enters('/mode upside-down', 'There is no mode upside-down')
    await enters('/mode background', "The run's mode is now background")
    await enters('/model', 'The agent offers no choice of models. What it does offer: speed')
    await enters('/set speed', 'Speed: Real (now), Instant')
    await enters('/set speed instant', 'Speed is now Instant.')
    me.press('C-d')
    await me.sees('left with 0')
  })

  it('is drawn anew when the window changes, also in 40 columns, and without colours where they are not wanted', async () => {
    const me = begin('say **bold** words. say 1000 chunks of 25 bytes at 10 a second', { NO_COLOR: '1' })
    await me.sees(/chunk ([3-9]|\d\d+) of/)
    me.type('a line that is long enough to be broken in a small window')
    await me.sees('small window')
    for (const round of [1, 2, 3]) {
      me.resize(40, 12)
      await me.sees(/> a line that is long enough to be brok\n {2}en/)
      // What is left over of another width stays.
      await vi.waitFor(
        () => expect([count(me, / working /g), count(me, /> a line/g)]).toEqual([1, 1]),
        30_000,
      )
      // A user who pulls at it: tmux tells of such changes a quarter of a second late, and what comes is drawn before.
      if (round === 2) for (const columns of [90, 70, 50]) me.resize(columns, columns / 5)
      me.resize(100, 24)
      await me.sees(/> a line .* window$/)
    }
    expect(me.screen('whole')).toContain('**bold** words')
    // But for the cursor.
    expect(me.screen('colors').replaceAll('\x1b[7m', '').replaceAll('\x1b[0m', '')).not.toContain('\x1b[')
    me.press('C-l')
    me.press('C-c')
    await me.sees('[x] close')
    me.press('x')
    await me.sees('left with 0')
    // What was said is there once: nothing of it was written over, and nothing was left behind.
    const all = me.screen('whole')
    const chunks = Array.from(all.replace(/\s+/g, ' ').matchAll(/chunk (\d+) of/g), ([, at]) => Number(at))
    expect(chunks.length).toBeGreaterThan(10)
    expect(chunks).toEqual(chunks.map((_, at) => at + 1))
    expect(all).not.toMatch(/ working |> a line/)
  })

  it('gets back a terminal as it was when they stop it, or when another process ends it', async () => {
    const me = begin('think for 100 seconds')
    await me.sees(/Thinking, [1-9]/)
    me.type('half')
    await me.sees('> half')
    me.press('C-z')
    await me.sees('stopped: icanon echo')
    expect(me.isCursorShown).toBe(true)
    me.press('Enter')
    await me.sees(/stopped[\s\S]*> half$/)
    // Stopped by another process it cannot give anything back; the shell sets the terminal up for itself.
    me.signal('SIGSTOP')
    await me.sees(/stopped[\s\S]*stopped/)
    me.press('Enter')
    await me.sees(/stopped[\s\S]*stopped[\s\S]*> half$/)
    me.press('C-a')
    me.type('other ')
    await me.sees(/> other half$/)
    me.signal('SIGTERM')
    await me.sees(/left with \d+: icanon echo/)
  })

  it('gets it back also when the program fails', async () => {
    const fault = path.join(place, 'fault.cjs')
    writeFileSync(fault, "process.on('SIGUSR2', () => { throw new Error('out of the blue') })")
    const me = begin('think for 100 seconds', { NODE_OPTIONS: `--require=${fault}` })
    await me.sees(/Thinking, [1-9]/)
    me.signal('SIGUSR2')
    await me.sees(/Error: out of the blue[\s\S]*left with [1-9]\d*: icanon echo/)
  })

  it('is told when the hub does not answer, and misses nothing when it is back', async () => {
    const words = Array.from({ length: 80 }, (_, at) => `word-${at + 1}x`)
    const said = (some: readonly string[]) => some.map((word) => `say ${word}\nwait for 0.05 seconds`)
    const prompt = [...said(words.slice(0, 40)), 'wait for go.txt to exist', ...said(words.slice(40))]
    const me = begin(prompt.join('\n'))
    // Whichever they see: the first ones have left the window by the time a busy machine looks.
    await me.sees(/word-\d+x/)
    await hub.kill('SIGKILL')
    await me.sees('The hub does not answer')
    writeFileSync(path.join(me.cwd, 'go.txt'), '')
    me.type('/steer ')
    await me.sees('> /steer')
    await hub.spawn()
    // After the agent's words: it would part them.
    await me.sees(/word-80x\s+The hub answers again\.[\s\S]*Type a message/)
    const all = me.screen('whole')
    expect(all.match(/word-\d+x/g)).toEqual(words)
    await me.sees('> /steer')
    me.press('C-u', 'C-d')
    await me.sees('left with 0')
  })

  it('may type ahead: each line that was ended before the screen was there is a message of its own', async () => {
    const me = begin('say hello')
    me.type('say first')
    me.press('Enter')
    me.type('say second')
    me.press('Enter')
    me.type('and half')
    // Not before the last turn is over: until then Ctrl-C asks what is to become of it, and keeps the line.
    await me.sees(
      /^> say first$[\s\S]*^hello$\s*^first$\s*^second$\s*^Type a message, or \/help\.$[\s\S]*^> and half$/m,
    )
    me.press('C-c', 'C-d')
    await me.sees('left with 0: icanon echo')
  })

  it('has lines as ever where the terminal can do no more', async () => {
    const me = begin('say hello', { TERM: 'dumb' })
    await me.sees(/Type a message, or \/help\.\n> *$/m)
    me.type('/close')
    me.press('Enter')
    await me.sees(/is closed\.\nleft with 0: icanon echo/)
    expect(me.screen()).toContain('> /close')
  })
})
