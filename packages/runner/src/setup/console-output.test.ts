import { expect, it } from 'vitest'
import { Redaction } from '../events/redaction.ts'
import { ConsoleOutput } from './console-output.ts'

const nothing = new Redaction([])

it('W42 endless output is reported up to a limit, and then only its end', () => {
  const told: string[] = []
  const output = new ConsoleOutput(nothing, (message) => told.push(message))
  for (let line = 0; line < 100_000; line++) output.take(`line ${line}\n`)
  output.end()
  const text = told.join('')
  expect(text.length).toBeLessThan(80 * 1024)
  expect(text.startsWith('line 0\nline 1\n')).toBe(true)
  expect(text.endsWith('line 99998\nline 99999\n')).toBe(true)
  expect(text).toMatch(/\(\d+ characters are left out here\)/)
  expect(output.last.split('\n')).toHaveLength(10)
})

it('W41 a secret that is printed in pieces is not reported', () => {
  const told: string[] = []
  const output = new ConsoleOutput(new Redaction([{ name: 'KEY', value: 'hunter2-hunter2' }]), (message) =>
    told.push(message),
  )
  for (const letter of 'is hunter2-hunter2!') output.take(letter)
  output.end()
  expect(told.join('')).toBe('is [secret KEY]!')
  expect(output.last).toBe('is [secret KEY]!')
})
