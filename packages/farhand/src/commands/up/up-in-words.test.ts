import { expect, it } from 'vitest'
import { paint } from '../../terminal/printing/paint.ts'
import { noPhoneInWords, phoneInWords, upInWords } from './up-in-words.ts'

it('the link is on a line of its own, and what http means for a phone is said where there is http', () => {
  const words = upInWords('http://127.0.0.1:1', { code: 'ABC', urls: [] }, paint(false))
  expect(words.split('\n')).toContain('http://127.0.0.1:1/in#code=ABC')
  expect(phoneInWords('http://192.168.1.2:1', paint(false))).toContain('no notifications')
  expect(phoneInWords('https://hub.example', paint(false))).not.toContain('notifications')
})

it('a user without a QR code is told what helps, and not to repeat what they have done', () => {
  const next = (isOwn: boolean, isOpen: boolean) => noPhoneInWords({ isOwn, isOpen }, 'farhand').next
  expect(next(true, false)).toContain('farhand up --lan')
  expect(next(true, true)).not.toContain('--lan')
  expect(next(false, false)).toContain('--host 0.0.0.0')
})
