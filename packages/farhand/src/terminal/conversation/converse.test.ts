import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { runCommand } from '../../command-line/run-command.ts'
import { RunUnderTest } from '../../commands/run/run-under-test.ts'
import { testContext } from '../../context/command-context-under-test.ts'

const bin = fileURLToPath(new URL('../../../bin/farhand.cjs', import.meta.url))

/** A user at a terminal: types a line whenever what they wait for has been shown since the line before. */
async function atTerminal(
  under: RunUnderTest,
  args: readonly string[],
  script: readonly (readonly [waitFor: string, types: string | 'Ctrl-C'])[],
  isPiped = false,
) {
  let screen = ''
  let out = ''
  let interrupt = () => {}
  let wake = () => {}
  const show = (text: string) => {
    screen += text
    wake()
  }
  async function* lines(signal: AbortSignal): AsyncGenerator<string> {
    const gone = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason))
    })
    gone.catch(() => {})
    let read = 0
    for (const [waitFor, types] of script) {
      while (!screen.includes(waitFor, read)) {
        const more = new Promise<void>((resolve) => {
          wake = resolve
        })
        await Promise.race([more, gone])
      }
      read = screen.length
      if (types === 'Ctrl-C') interrupt()
      else yield types
    }
    await gone
  }
  const context = testContext({
    out: (text) => {
      out += text
      show(text)
    },
    note: show,
    isPiped,
    terminal: true,
    lines,
    onInterrupt: (act) => {
      interrupt = act
      return () => {}
    },
    self: [process.execPath, bin],
    env: { PATH: process.env.PATH, HOME: process.env.HOME },
    cwd: under.folder,
  })
  const { hub, state } = under
  const access = ['--hub', hub.url, '--token', hub.token, '--state', state]
  const code = await runCommand([...args, ...access], context)
  return { code, out, screen: screen.replaceAll('\r\u001b[K', '') }
}

describe('a user at a terminal', { timeout: 120_000 }, () => {
  it('talks to the agent, answers what it asks right there, and closes the run', async () => {
    const under = await RunUnderTest.begin()
    const { code, screen } = await atTerminal(
      under,
      ['run', 'say hello', '--agent', 'rehearsal', '--here'],
      [
        ['hello', 'ask permission to run `echo one`'],
        ['? Run', 'perhaps'],
        ['Type a number from 1 to 4', 'y'],
        ['exit code 0', '/close'],
      ],
    )
    expect(code).toBe(0)
    expect(screen).toContain('✓ Run `echo one`  one')
    expect(screen.match(/is closed/g)).toHaveLength(1)
    // The terminal has echoed it already.
    expect(screen).not.toContain('> ask permission')
    // A user who has the words go elsewhere has said all there is to say: no line is waited for that would never be typed.
    const words = ['run', 'say piped', '--agent', 'rehearsal', '--here']
    const piped = await atTerminal(under, words, [['never shown', '/close']], true)
    expect([piped.code, piped.out]).toEqual([0, expect.stringMatching(/^This is a rehearsal.*\n\npiped\n$/)])
    expect(piped.screen).not.toMatch(/Type a message|stays open/)
  })

  it('cancels a turn with Ctrl-C, leaves with the next one, and finds everything when they come back', async () => {
    const under = await RunUnderTest.begin()
    const first = await atTerminal(
      under,
      ['run', 'think for 60 seconds', '--agent', 'rehearsal', '--here'],
      [
        ['Thinking', 'Ctrl-C'],
        ['Stopped.', 'Ctrl-C'],
      ],
    )
    const [run] = /run_\w+/.exec(first.screen)!
    expect(first.screen).toContain(`${run} stays open`)
    const second = await atTerminal(
      under,
      ['run', '--run', run.slice(0, 14)],
      [
        ['Type a message', 'say still here'],
        ['still here', '/close'],
      ],
    )
    expect(second.screen).toMatch(
      /rehearsal works in \S+, run_\w+\.[\s\S]*> think for 60 seconds[\s\S]*still here/,
    )
    // They have seen it before.
    expect(second.screen).not.toContain('Stopped.')
  })

  it('learns what can be typed, and nothing that is mistyped is said to the agent', async () => {
    const under = await RunUnderTest.begin()
    const { screen } = await atTerminal(
      under,
      ['run', 'say hello', '--agent', 'rehearsal', '--here'],
      [
        ['Type a message, or /help.', '/help'],
        ['ends the run', '/clsoe'],
        ['There is no /clsoe; nothing was sent.', '/mode'],
        ["The agent's mode: Normal (now), Careful", '/close'],
      ],
    )
    expect(screen.match(/or \/help\./g)).toHaveLength(1)
  })

  it("changes the agent's own mode while it is there, and hears if it has no such mode", async () => {
    const under = await RunUnderTest.begin()
    const { screen } = await atTerminal(
      under,
      ['run', 'say hello', '--agent', 'rehearsal', '--here'],
      [
        ['hello', '/mode reckless'],
        ['There is no mode reckless', '/mode careful'],
        ["The agent's mode is now Careful.", 'write a.txt with "x"'],
        ['? Write a.txt', 'reject'],
        ['not given', '/close'],
      ],
    )
    expect(screen).toContain('✗ Write a.txt')
  })

  it('says something into the turn that is under way', async () => {
    const under = await RunUnderTest.begin()
    const { screen } = await atTerminal(
      under,
      ['run', `say begun\n${'wait for 0.1 seconds\n'.repeat(500)}`, '--agent', 'rehearsal', '--here'],
      [
        ['begun', '/steer'],
        ['/steer, then the message', '/steer say enough. stop with end_turn'],
        // Not before the turn is over, which a close would cancel.
        ['Type a message', '/close'],
      ],
    )
    expect(screen).toMatch(/\nenough\n/)
    expect(screen).not.toContain('Stopped.')
  })

  it('may type ahead: the message waits for its turn', async () => {
    const under = await RunUnderTest.begin()
    const { screen } = await atTerminal(
      under,
      ['run', 'wait for go.txt to exist', '--agent', 'rehearsal', '--here'],
      [
        ['working', 'say next'],
        ['It comes next', '/cancel'],
        ['next\n', '/detach'],
      ],
    )
    expect(screen).toMatch(/Stopped\.[\s\S]*next[\s\S]*stays open/)
  })
})
