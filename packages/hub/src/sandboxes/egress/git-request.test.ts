import { describe, expect, it } from 'vitest'
import { gitRequest, isListed, movedTo } from './git-request.ts'

describe('what git asks of the proxy', () => {
  it.each([
    [
      'GET',
      '/git/https/git.example/owner/app.git/info/refs?service=git-upload-pack',
      'https://git.example/owner/app.git/info/refs?service=git-upload-pack',
      'https://git.example/owner/app.git',
    ],
    [
      'POST',
      '/git/http/127.0.0.1:3000/app/git-receive-pack',
      'http://127.0.0.1:3000/app/git-receive-pack',
      'http://127.0.0.1:3000/app',
    ],
    [
      'POST',
      '/git/https/Git.Example:443/a/b/../c/git-upload-pack',
      'https://git.example/a/c/git-upload-pack',
      'https://git.example/a/c',
    ],
  ])('is understood: %s %s', (method, said, url, repository) => {
    const asked = gitRequest(method, said)
    expect([asked?.url.href, asked?.repository]).toEqual([url, repository])
  })

  it.each([
    ['GET', '/git/https/git.example/owner/app.git/HEAD'],
    ['GET', '/git/https/git.example/owner/app.git/info/refs'],
    ['GET', '/git/https/git.example/owner/app.git/info/refs?service=git-upload-archive'],
    ['GET', '/git/https/git.example/owner/app.git/info/refs?service=git-upload-pack&x=y'],
    ['POST', '/git/https/git.example/owner/app.git/info/refs?service=git-upload-pack'],
    ['GET', '/git/https/git.example/owner/app.git/git-upload-pack'],
    ['POST', '/git/https/git.example/owner/app.git/git-upload-pack?x=y'],
    ['POST', '/git/https/git.example/owner/app.git/info/lfs/objects/batch'],
    ['POST', '/git/https/git.example/git-upload-pack'],
    ['POST', '/git/ssh/git.example/owner/app/git-upload-pack'],
    ['POST', '/git/https/me:pw@git.example/owner/app/git-upload-pack'],
    ['POST', '/git/https/me@git.example/owner/app/git-upload-pack'],
    ['POST', '/git/https/:pw@git.example/owner/app/git-upload-pack'],
    ['POST', '/git/https/git.example/owner/app/git-upload-pack#x'],
    ['POST', '/git/https/[/owner/app/git-upload-pack'],
    ['POST', '/git/https/git.example/owner%2f..%2fother/app/git-upload-pack'],
    ['POST', '/git/https/git.example/owner%5Capp/git-upload-pack'],
    ['POST', '/git/https/git.example\\@evil.test/app/git-upload-pack'],
    ['POST', '/git/https//evil.test/git-upload-pack'],
    ['DELETE', '/git/https/git.example/owner/app/git-upload-pack'],
    ['GET', '/git/'],
  ])('is not %s %s', (method, said) => {
    expect(gitRequest(method, said)).toBeNull()
  })
})

describe('a list of remotes', () => {
  const remotes = ['https://git.example/owner/app', 'http://git.example:3000/team/', 'https://whole.example']
  it.each([
    'https://git.example/owner/app',
    'https://git.example/owner/app.git',
    'https://git.example/owner/app/wiki',
    'http://git.example:3000/team/any/thing.git',
    'https://whole.example/a',
  ])('has %s', (repository) => expect(isListed(remotes, repository)).toBe(true))

  it.each([
    'https://git.example/owner/app-two',
    'https://git.example/owner/app.gitx',
    'https://git.example/owner',
    'https://git.example/Owner/app',
    'http://git.example/owner/app',
    'https://git.example:8443/owner/app',
    'https://git.example.evil.test/owner/app',
    'http://git.example:3000/teams/x',
    'https://whole.example.evil.test/a',
  ])('does not have %s', (repository) => expect(isListed(remotes, repository)).toBe(false))

  it('may end in .git itself', () => {
    expect(isListed(['https://git.example/a.git'], 'https://git.example/a')).toBe(true)
    expect(isListed(['https://git.example/a.git'], 'https://git.example/a.git')).toBe(true)
  })
})

describe('a repository that has moved', () => {
  const from = new URL('https://git.example/old/info/refs?service=git-upload-pack')
  it.each([
    [
      '/new/info/refs?service=git-upload-pack',
      '/git/https/git.example/new/info/refs?service=git-upload-pack',
    ],
    ['https://git.example/new', '/git/https/git.example/new'],
  ])('to %s is followed on the same host', (location, path) => expect(movedTo(from, location)).toBe(path))

  it.each([
    'https://evil.test/new',
    '//evil.test/new',
    'http://git.example/new',
    'https://a@git.example/',
    'http://[',
  ])('to %s is not followed', (location) => expect(movedTo(from, location)).toBeNull())
})
