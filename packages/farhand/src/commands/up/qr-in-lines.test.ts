import { expect, it } from 'vitest'
import { qrInLines, widthOfQr } from './up-command.ts'

const dark = [
  [true, false],
  [false, true],
]

it('with colours what is dark is drawn on white; without them what is light is, frame and all', () => {
  const colored = qrInLines(dark, true)
  expect(colored).toHaveLength(3)
  expect(colored[1]).toBe('\x1b[30;107m  ▀▄  \x1b[0m')
  expect(qrInLines(dark, false)).toEqual(['██████', '██▄▀██', '██████'])
  expect(widthOfQr(dark)).toBe(6)
})
