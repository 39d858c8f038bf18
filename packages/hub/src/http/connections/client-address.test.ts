import { expect, it } from 'vitest'
import { attemptKeyOf, clientAddress } from './client-address.ts'

const from = (remoteAddress: string, said?: string) => ({
  socket: { remoteAddress },
  headers: said === undefined ? {} : { 'x-forwarded-for': said },
})

it('clients behind a proxy are told apart by the last address that the proxy named, and by nothing that they sent themselves', () => {
  const publicUrl = 'https://hub.example'
  expect(clientAddress(from('127.0.0.1', '6.6.6.6, 1.1.1.1'), publicUrl)).toBe('1.1.1.1')
  expect(clientAddress(from('::ffff:127.0.0.1', '1.1.1.1'), publicUrl)).toBe('1.1.1.1')
  expect(clientAddress(from('127.0.0.1'), publicUrl)).toBe('127.0.0.1')
  expect(clientAddress(from('192.168.1.7', '1.1.1.1'), publicUrl)).toBe('192.168.1.7')
  expect(clientAddress(from('127.0.0.1', '1.1.1.1'), undefined)).toBe('127.0.0.1')
})

it('W52 all addresses of one IPv6 network count as one for wrong guesses, directly and through a proxy', () => {
  const [one, other] = ['2001:db8:1:2::5', '2001:db8:1:2:6:7:8:9']
  expect(attemptKeyOf(from(one), undefined)).toBe(attemptKeyOf(from(other), undefined))
  const publicUrl = 'https://hub.example'
  expect(attemptKeyOf(from('127.0.0.1', one), publicUrl)).toBe(
    attemptKeyOf(from('127.0.0.1', other), publicUrl),
  )
  expect(attemptKeyOf(from('2001:db8:1:3::5'), undefined)).not.toBe(attemptKeyOf(from(one), undefined))
})
