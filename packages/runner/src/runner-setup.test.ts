import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { RunUnderTest, rehearsalAgent, textOf } from './runner-under-test.ts'

const is = (method: string) => (event: { notification: { method: string } }) =>
  event.notification.method === method
const ownKey = 'sk-0123456789'
const secret = { name: 'NPM_TOKEN', value: 'hunter2-hunter2' }

function allIn(folder: string): string {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
  const files = names.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name))
  return files.map((file) => readFileSync(file, 'latin1')).join('\n')
}

it('W41 W42 a message waits for the setup, the agent hears that it failed, and no secret is in the log, journal or data', async () => {
  const run = await RunUnderTest.begin(rehearsalAgent, 'own hub')
  const setup = { command: 'echo "with $NPM_TOKEN"; sleep 0.2; touch after; exit 7' }
  await run.start(undefined, undefined, {
    setup,
    secrets: [secret],
    env: { NPM_TOKEN: secret.value, OWN_API_KEY: ownKey },
  })
  const said = await run.turn(
    `run \`printf "%s" "$NPM_TOKEN" | tee token.log; ls after\`. say "${secret.value}". say "${ownKey}"`,
  )
  expect(existsSync(join(run.workspace, 'after'))).toBe(true)
  expect(textOf(said)).toContain('[secret NPM_TOKEN]')
  expect(textOf(said)).toContain('[secret OWN_API_KEY]')
  const printed = await run.until(is('_posthog/console'))
  expect(printed.notification.params?.message).toContain('with [secret NPM_TOKEN]')
  const end = await run.until(is('_posthog/phase_complete'))
  expect(end.notification.params).toMatchObject({ phase: 'setup', ok: false, error: 'It ended with code 7.' })
  const ack = await run.until(is('_posthog/ack'))
  expect(ack.id).toBeGreaterThan(end.id)
  expect(textOf(said)).toContain('the setup command of this workspace was run, and failed.')

  await run.stop()
  await run.hub.kill('SIGTERM')
  const kept = allIn(join(run.hub.data, 'logs')) + allIn(join(run.state, 'runner/journal'))
  // A person said it, who may; nothing of the runner's has it.
  const lines = kept.split('\n').filter((line) => line.includes(secret.value))
  expect(lines.filter((line) => !line.includes('_posthog/user_message'))).toEqual([])
})

it('W42 a run can be closed while its setup goes on, which then ends', async () => {
  const run = await RunUnderTest.begin()
  await run.start(undefined, undefined, { setup: { command: 'touch began; sleep 60' } })
  await run.say('_posthog/user_message', { content: 'say hello' })
  await expect.poll(() => existsSync(join(run.workspace, 'began')), { timeout: 60_000 }).toBe(true)
  await run.say('_posthog/close')
  expect(await run.end).toBe('closed')
  const end = await run.until(is('_posthog/phase_complete'))
  expect(end.notification.params).toMatchObject({ ok: false })
})
