import { describe, expect, it } from 'vitest'
import { pageInPush, prPage, webRemote } from './pr-page.ts'

const page = (address: string, into: string | null = null) => {
  const remote = webRemote(address)
  return remote && prPage(remote, 'farhand/fix it', into)
}

describe('the page on which a pull request is opened', () => {
  it('is found for each of the servers that people use, however git spells the address', () => {
    const github = 'https://github.com/ada/tool/compare/farhand/fix%20it?expand=1'
    for (const address of [
      'https://github.com/ada/tool.git',
      'https://ada:secret@github.com/ada/tool',
      'git@github.com:ada/tool.git',
      'ssh://git@github.com:22/ada/tool.git',
      'ssh://git@ssh.github.com:443/ada/tool.git',
    ])
      expect(page(address), address).toBe(github)
    expect(page('git@gitlab.example.org:a/b/c.git', 'main')).toBe(
      'https://gitlab.example.org/a/b/c/-/merge_requests/new?merge_request%5Bsource_branch%5D=farhand%2Ffix%20it&merge_request%5Btarget_branch%5D=main',
    )
    expect(page('git@bitbucket.org:a/b.git')).toBe(
      'https://bitbucket.org/a/b/pull-requests/new?source=farhand%2Ffix%20it',
    )
    expect(page('https://codeberg.org/a/b.git', 'dev')).toBe(
      'https://codeberg.org/a/b/compare/dev...farhand/fix%20it',
    )
    expect(page('https://gitea.example.org:3000/a/b')).toBe(
      'https://gitea.example.org:3000/a/b/compare/farhand/fix%20it',
    )
  })

  it('is not made up for a folder, a drive, or an unknown server', () => {
    for (const address of [
      '/srv/tool.git',
      '../tool',
      'C:\\tool',
      'file:///srv/tool.git',
      './a:b',
      'work:tool',
    ])
      expect(page(address), address).toBeNull()
    expect(page('https://example.org/a/b.git')).toBeNull()
  })

  it('is also what a server says when something is pushed', () => {
    const said =
      'remote: \nremote: To open one, visit:\nremote:   https://example.org/new?x=1\nTo example.org\n'
    expect(pageInPush(said)).toBe('https://example.org/new?x=1')
    expect(pageInPush('To https://example.org/a\n')).toBeNull()
  })
})
