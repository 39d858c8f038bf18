import { afterEach, expect, it, vi } from 'vitest'
import { openDatabase } from './database.ts'

afterEach(() => vi.unstubAllGlobals())

it('is not waited for when a page that sleeps does not close it', async () => {
  vi.stubGlobal('IDBRequest', EventTarget)
  vi.stubGlobal('indexedDB', { open: () => new EventTarget() })
  expect(await openDatabase('http://127.0.0.1/', 'usr_someone0', 1)).toBeNull()
})
