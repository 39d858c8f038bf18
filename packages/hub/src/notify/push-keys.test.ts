import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { HubUnderTest } from '../http/hub-under-test.ts'
import { openPushKeys } from './push-keys.ts'

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'farhand-push-keys-'))
  onTestFinished(() => rm(made, { recursive: true, force: true }))
  return made
}

it.each([
  ['cut short', (text: string) => text.slice(0, 40)],
  ['empty', () => ''],
  ['something else', () => '[1]'],
  [
    'a public key of another one',
    (text: string, other: string) => text.replace(/"publicKey":"[^"]+/, `"publicKey":"${other}`),
  ],
])('keys that are %s are set aside, reported and replaced; the others stay', async (_, damage) => {
  const data = await folder()
  const first = await openPushKeys(data, () => {})
  const file = join(data, 'push-keys.json')
  const other = await openPushKeys(await folder(), () => {})
  const damaged = damage(await readFile(file, 'utf8'), other.publicKey)
  await writeFile(file, damaged)
  const said: string[] = []
  const second = await openPushKeys(data, (aside) => said.push(aside))
  expect(second).not.toEqual(first)
  expect(said).toHaveLength(1)
  expect(await readFile(said[0]!, 'utf8')).toBe(damaged)
  expect(await openPushKeys(data, (aside) => said.push(aside))).toEqual(second)
  expect(said).toHaveLength(1)
})

it('a hub whose push keys are damaged starts all the same', async () => {
  const hub = await HubUnderTest.start()
  const { token, data } = hub
  await hub.hub.stop()
  await writeFile(join(data, 'push-keys.json'), '{"publicKey":')
  const next = await HubUnderTest.on(data, {}, token)
  expect(await next.ask('GET', '/api/push/key')).toMatchObject({ status: 200 })
  expect((await readdir(data)).filter((name) => name.startsWith('push-keys.json'))).toHaveLength(2)
})
