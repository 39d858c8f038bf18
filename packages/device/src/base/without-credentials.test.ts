import { expect, it } from 'vitest'
import { withoutCredentials } from './without-credentials.ts'

it('the address of a remote loses its keys, and nothing that it takes to find it', () => {
  expect(withoutCredentials('https://ada:s3cret@example.org:8443/a/b.git')).toBe(
    'https://example.org:8443/a/b.git',
  )
  expect(withoutCredentials('https://ghp_abc@example.org/a.git?token=x')).toBe('https://example.org/a.git')
  expect(withoutCredentials('ssh://git:pw@example.org/a.git')).toBe('ssh://git@example.org/a.git')
  expect(withoutCredentials('git@example.org:a/b.git')).toBe('git@example.org:a/b.git')
  expect(withoutCredentials('/srv/git/a.git')).toBe('/srv/git/a.git')
})
