import { expect, it } from 'vitest'
import { Redaction } from './redaction.ts'

const redaction = new Redaction([{ name: 'KEY', value: 'hunter2-hunter2' }])
const clean = (text: string | Buffer) => redaction.bytes(Buffer.from(text))

it('W38 W41 what an agent remembers in texts travels without secrets, and what has none as it is', () => {
  expect(String(clean('{"out":"hunter2-hunter2"}\n'))).toBe('{"out":"[secret KEY]"}\n')
  const same = Buffer.from('é')
  expect(redaction.bytes(same)).toBe(same)
})

it('W38 W41 a database does not travel with a secret in it, as it would be broken without', () => {
  expect(clean('SQLite\0 hunter2-hunter2')).toBeNull()
  expect(clean('SQLite\0 nothing')).toEqual(Buffer.from('SQLite\0 nothing'))
})
