import { appendFileSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { folder } from './rehearsal-under-test.ts'
import { newState, SessionStore } from './session-store.ts'

const hello = { by: 'user', text: 'hello' } as const

it('a session that was killed in the middle of a note loses that note and none after it', () => {
  const home = folder()
  const store = new SessionStore(home)
  store.note('a', { said: hello })
  appendFileSync(path.join(home, 'a.jsonl'), '{"said":{"by":"agent","te')
  expect(store.load('a')).toEqual({ state: newState, said: [hello] })
  store.note('a', { state: { ...newState, calls: 7 } })
  expect(store.load('a')).toEqual({ state: { ...newState, calls: 7 }, said: [hello] })
})

it('a session id that is a path leads nowhere', () => {
  const home = folder()
  const store = new SessionStore(path.join(home, 'inner'))
  expect(store.load('../a')).toBe(null)
  expect(() => store.note('../a', { said: hello })).toThrow('cannot be called')
  expect(readdirSync(home)).toEqual(['inner'])
})
