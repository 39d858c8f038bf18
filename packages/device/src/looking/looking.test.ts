import { newId, RunId } from '@farhand/protocol/wire/ids'
import { expect, it, onTestFinished } from 'vitest'
import { Looking } from './looking.ts'

it('W49 a terminal counts as looked at until the user has not typed for two minutes, and again from the next line on', async () => {
  const said: boolean[] = []
  const fetched: typeof fetch = async (_, init) => {
    said.push(JSON.parse(String(init?.body)).isLooking)
    return Response.json({ ok: true })
  }
  let now = 0
  const looking = new Looking({ url: 'http://hub.example', fetch: fetched }, newId(RunId, 'run'), () => now)
  onTestFinished(() => looking.end())
  now = 119_000
  looking.look()
  now = 121_000
  looking.look()
  looking.look()
  expect(said).toEqual([true, true])
  looking.sign()
  await looking.end()
  await looking.end()
  expect(said).toEqual([true, true, true, false])
})
