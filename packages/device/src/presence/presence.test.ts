import { newId, RunId } from '@farhand/protocol/wire/ids'
import { expect, it, onTestFinished } from 'vitest'
import { Presence } from './presence.ts'

it('W49 a terminal counts as looked at until the user has not typed for two minutes, and again from the next line on', async () => {
  const said: boolean[] = []
  const fetched: typeof fetch = async (_, init) => {
    said.push(JSON.parse(String(init?.body)).isLooking)
    return Response.json({ ok: true })
  }
  let now = 0
  const presence = new Presence({ url: 'http://hub.example', fetch: fetched }, newId(RunId, 'run'), () => now)
  onTestFinished(() => presence.end())
  now = 119_000
  presence.look()
  now = 121_000
  presence.look()
  presence.look()
  expect(said).toEqual([true, true])
  presence.sign()
  await presence.end()
  await presence.end()
  expect(said).toEqual([true, true, true, false])
})
