import { describe, expect, it } from 'vitest'
import { runHere } from '../context/command-context-under-test.ts'
import { RunUnderTest } from './run/run-under-test.ts'

describe('farhand requests', { timeout: 120_000 }, () => {
  it('sends a request that waits for a device, shows its states, and cancels it once', async () => {
    const { hub, state } = await RunUnderTest.begin()
    const access = ['--hub', hub.url, '--token', hub.token, '--state', state]
    expect((await runHere(['requests', ...access])).out).toMatch(/There is no request yet\. Send one: /)
    const { out } = await runHere(['requests', 'send', '--needs-device', 'print it', ...access])
    expect(out).toMatch(/^req_\w+ {2}queued {2}any device\nYour computer is not on right now\./)
    const { out: listed, notes } = await runHere(['requests', ...access])
    expect(listed).toMatch(/^req_\w{8} {2}queued .* print it\n$/)
    expect(notes).toContain('No device of yours is connected.')
    const id = listed.slice(0, 12)
    const { out: shown } = await runHere(['requests', 'show', id.slice(4), '--json', ...access])
    expect(JSON.parse(shown)).toMatchObject({ state: 'queued', needs_device: true, message: 'print it' })
    for (let time = 0; time < 2; time += 1)
      expect((await runHere(['requests', 'cancel', id, ...access])).out).toMatch(/canceled/)
    await expect(runHere(['requests', 'accept', id, ...access])).rejects.toThrow('canceled already')
    await expect(runHere(['requests', 'show', 'req_nosuchrequest', ...access])).rejects.toThrow()
    await expect(runHere(['requests', 'show', 'abc', ...access])).rejects.toThrow('too short')
  })
})
