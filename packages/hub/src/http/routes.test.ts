import type { Endpoint } from '@farhand/protocol/endpoints/endpoint'
import { endpoints } from '@farhand/protocol/endpoints/endpoints'
import { expect, it } from 'vitest'
import { HubUnderTest } from './hub-under-test.ts'

const all = Object.entries<Endpoint>(endpoints)

it('the token of a runner, which its agent can learn, opens only its own run, on every route', async () => {
  const hub = await HubUnderTest.start()
  const [own, other] = [await hub.run(), await hub.run()]
  const { token } = await hub.runner(own)
  await hub.runner(other)
  const named: Record<string, string> = { ...other, key: 'a'.repeat(64), name: 'SOME' }
  const guarded = all.filter(([, { who }]) => !['anyone', 'address', 'near-or-user'].includes(who))
  const asked = guarded.map(async ([name, { method, path }]) => {
    const place = path.replaceAll(/\{(\w+)\}/g, (_, parameter: string) => named[parameter] ?? 'none')
    const { status, body } = await hub.ask(method, place, { token, ...(method !== 'GET' && { body: {} }) })
    return { name, status, code: (body as { error?: { code: string } }).error?.code }
  })
  const answers = await Promise.all(asked)
  expect(answers.length).toBeGreaterThan(15)
  // It is for users, or there is no such run. Every caller may ask who it is.
  const isRefused = ({ code }: { code: string | undefined }) =>
    code === 'role.refused' || code === 'run.unknown'
  expect(answers.filter((answer) => !isRefused(answer)).map(({ name }) => name)).toEqual(['getMe'])
})
