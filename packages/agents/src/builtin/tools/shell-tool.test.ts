import { expect, it } from 'vitest'
import { KeptOutput } from './shell-tool.ts'

it('output that fits is kept whole, no matter in which pieces it comes', () => {
  const output = new KeptOutput(10)
  for (const piece of ['012', '3456', '789']) output.add(piece)
  expect(output.text).toBe('0123456789')
})

it('of output that does not fit, the beginning and the end are kept, with how much is missing between them', () => {
  const output = new KeptOutput(10)
  for (const piece of ['begin', 'x'.repeat(1000), 'the end']) output.add(piece)
  expect(output.text).toBe('begin\n… 1002 characters left out …\ne end')
})
