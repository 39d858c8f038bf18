import { describe, expect, it } from 'vitest'
import { configToKeep, settingsIn, withoutCredentials } from './config-to-keep.ts'

const kept = (...pairs: [string, string | null][]) =>
  configToKeep(pairs.map(([name, value]) => ({ name, value })))

describe('the settings of a repository that travel', () => {
  it('are its remotes and branches, who commits, and how files are written', () => {
    const text = kept(
      ['remote.origin.url', 'https://example.org/a.git'],
      ['remote.origin.fetch', '+refs/heads/*:refs/remotes/origin/*'],
      ['branch.a "b".merge', 'refs/heads/x'],
      ['core.autocrlf', 'input'],
      ['user.name', 'A\n"B"'],
      ['core.sparsecheckout', null],
    )
    expect(text).toBe(
      `[core]
\trepositoryformatversion = 0
\tbare = false
\tautocrlf = "input"
\tsparsecheckout
[remote "origin"]
\turl = "https://example.org/a.git"
\tfetch = "+refs/heads/*:refs/remotes/origin/*"
[branch "a \\"b\\""]
\tmerge = "refs/heads/x"
[user]
\tname = "A\\n\\"B\\""
`,
    )
  })

  it('hold no credentials and no command', () => {
    const text = kept(
      ['http.extraheader', 'Authorization: secret'],
      ['credential.helper', 'store'],
      ['core.sshcommand', 'evil'],
      ['core.hookspath', 'evil'],
      ['core.fsmonitor', 'evil'],
      ['filter.lfs.clean', 'evil'],
      ['include.path', '/evil'],
      ['alias.x', '!evil'],
      ['remote.origin.uploadpack', 'evil'],
      ['remote.origin.url', 'ext::evil'],
      ['submodule.x.update', '!evil'],
      ['url.https://me:secret@h/.insteadof', 'h:'],
      ['remote.b.url', 'https://me:secret@example.org/a.git'],
      ['branch.x\n[alias]\n.remote', 'evil'],
    )
    expect(text).not.toMatch(/secret|evil/)
    expect(text).toContain('https://example.org/a.git')
  })

  it('are read as git lists them', () => {
    expect(settingsIn('a.b\nc\nd\0e.f\0')).toEqual([
      { name: 'a.b', value: 'c\nd' },
      { name: 'e.f', value: null },
    ])
  })
})

describe('an address without credentials', () => {
  it.each([
    ['https://me:pass@example.org/x@y', 'https://example.org/x@y'],
    ['https://token@example.org:8443/x', 'https://example.org:8443/x'],
    ['ssh://git@example.org/x', 'ssh://git@example.org/x'],
    ['ssh://git:pass@example.org/x', 'ssh://example.org/x'],
    ['git@example.org:x/y.git', 'git@example.org:x/y.git'],
    ['../elsewhere', '../elsewhere'],
  ])('%s', (url, expected) => {
    expect(withoutCredentials(url)).toBe(expected)
  })
})
