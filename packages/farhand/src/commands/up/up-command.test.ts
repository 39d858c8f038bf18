import { HubProcess } from '@farhand/testkit/hub-process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runHere, testContext } from '../../context/command-context-under-test.ts'
import type { KeyedTerminal, TerminalHandlers } from '../../terminal/keys/keyed-terminal.ts'
import { upCommand } from './up-command.ts'

let hub: HubProcess
let words: string[]
beforeAll(async () => {
  hub = await HubProcess.start({ settings: ['--host', '0.0.0.0'] })
  words = ['--hub', hub.url, '--token', hub.token, '--state', `${hub.data}/no-state`]
})
afterAll(() => hub.kill('SIGKILL'))

const signIn = (code: string) =>
  fetch(`${hub.url}/api/sign-in`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ code }),
  })

/** A terminal at which a user presses keys, and reads. */
function aTerminal() {
  let handlers: TerminalHandlers | null = null
  let shown = ''
  const terminal: KeyedTerminal = {
    size: { columns: 80, rows: 24 },
    write: (text) => {
      shown += text
    },
    open: (its) => {
      handlers = its
      return () => {
        handlers = null
      }
    },
    suspend: () => {},
  }
  return {
    terminal,
    shown: () => shown,
    isOpen: () => handlers !== null,
    press: (keys: string) => handlers?.keys(Buffer.from(keys)),
    says: (text: string) => (handlers ? handlers.says(text) : terminal.write(text)),
  }
}

describe('farhand up', { timeout: 90_000 }, () => {
  it('tells a program where the hub is, and a link that signs in once', async () => {
    const { out } = await runHere(['up', ...words, '--json'])
    const { url, link, code, links } = JSON.parse(out)
    expect([url, link]).toEqual([hub.url, `${hub.url}/in#code=${code}`])
    expect(links[0]).toBe(link)
    expect([(await signIn(code)).status, (await signIn(code)).status]).toEqual([200, 401])
  })

  it('ends at once without a terminal', async () => {
    const { out, code } = await runHere(['up', ...words])
    expect(out).toMatch(new RegExp(`^${hub.url}/in#code=\\w{10}$`, 'm'))
    expect(code).toBe(0)
  })

  it('shows a QR code for q and a new link for n, and leaves with Ctrl-C', async () => {
    const person = aTerminal()
    const context = testContext({ keyed: async () => person.terminal, out: person.says, note: person.says })
    const [, url, , token, , state] = words
    const up = upCommand({ hub: url, token, state }, context)
    await expect.poll(person.isOpen, { timeout: 30_000 }).toBe(true)
    const before = person.shown()
    expect(before.match(/#code=/g)).toHaveLength(1)
    person.press('qn')
    await expect.poll(() => person.shown().match(/#code=/g)?.length, { timeout: 30_000 }).toBe(2)
    const after = person.shown().slice(before.length)
    // If a machine has no network, no other device can reach it.
    expect(after).toMatch(/█▀▀|▄▄▄▄▄|A phone cannot reach this hub/)
    expect(after).toContain('\r\n')
    person.press('\x03')
    await up
    expect(person.isOpen()).toBe(false)
  })

  it('does not open a hub to the network that the user started in another way', async () => {
    await expect(runHere(['up', ...words, '--lan'])).rejects.toMatchObject({
      exit: 'usage',
      nextStep: expect.stringContaining('--host 0.0.0.0'),
    })
  })
})
