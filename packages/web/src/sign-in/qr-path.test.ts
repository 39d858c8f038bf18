import { expect, it } from 'vitest'
import { qrPath } from './qr-path.ts'

it('a QR code is drawn square by square, and all of a run at once', () => {
  const rows = ['##.#', '....', '...#'].map((row) => [...row].map((square) => square === '#'))
  expect(qrPath(rows)).toBe('M0 0h2v1h-2zM3 0h1v1h-1zM3 2h1v1h-1z')
  expect(qrPath([])).toBe('')
})
