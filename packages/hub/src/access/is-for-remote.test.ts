import { expect, it } from 'vitest'
import { isForRemote } from './is-for-remote.ts'

it.each([
  ['https://git.example/acme', 'https://git.example/acme/app.git/info/refs?service=git-upload-pack'],
  ['https://git.example/acme/', 'https://git.example/acme/app'],
  ['https://git.example/acme/app', 'https://git.example/acme/app.git/info/refs'],
  ['https://git.example/acme/app.git', 'https://git.example/acme/app'],
  ['https://git.example', 'https://git.example/anything'],
  ['https://Git.Example:443/acme', 'https://git.example/acme/app'],
])('W41 a credential for %s is shown at %s', (remote, address) => {
  expect(isForRemote(remote, address)).toBe(true)
})

it.each([
  ['another owner whose name begins alike', 'https://git.example/acme', 'https://git.example/acme-evil/app'],
  ['another repository whose name begins alike', 'https://git.example/a/app', 'https://git.example/a/app2'],
  ['another host below', 'https://git.example', 'https://git.example.evil.org/acme'],
  ['the name of the host as a user', 'https://git.example', 'https://git.example@evil.org/'],
  ['another port', 'https://git.example/acme', 'https://git.example:8443/acme/app'],
  ['an unencrypted line', 'https://git.example/acme', 'http://git.example/acme/app'],
  ['a way back up', 'https://git.example/acme', 'https://git.example/acme/../other/app'],
  ['an encoded way back up', 'https://git.example/acme', 'https://git.example/acme/%2e%2e/other/app'],
  ['an encoded separator', 'https://git.example/acme', 'https://git.example/acme/..%2Fother/app'],
  ['no address at all', 'https://git.example/acme', 'acme/app'],
])('W41 a credential is not shown at %s', (_, remote, address) => {
  expect(isForRemote(remote, address)).toBe(false)
})
