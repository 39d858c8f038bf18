import { describe, expect, it } from 'vitest'
import { changelogWith, isOlder, manifestWith } from './next-version.mjs'

describe('a version', () => {
  it('is older than another one as semantic versioning has it', () => {
    const orderedOutput = [
      '0.1.0',
      '0.1.1',
      '0.2.0-alpha',
      '0.2.0-alpha.1',
      '0.2.0-alpha.beta',
      '0.2.0-beta.2',
    ]
    const all = [...orderedOutput, '0.2.0-beta.11', '0.2.0', '0.10.0', '1.0.0']
    for (const [at, one] of all.entries())
      for (const [other, two] of all.entries())
        expect([one, two, isOlder(one, two)]).toEqual([one, two, at < other])
  })

  it.each(['1', 'v1.2.3', '1.2', 'next', ''])('is not %j', (word) => {
    expect(() => isOlder(word, '1.0.0')).toThrow('is no version')
  })
})

describe('the changelog of a release', () => {
  const page = '# Changelog\n\nWords.\n\n## Unreleased\n\n- one\n- two\n\n## 0.1.0 - 2026-01-02\n\n- first\n'

  it('has what was unreleased under the version, and an empty section above it', () => {
    expect(changelogWith(page, '0.2.0', '2026-11-30')).toBe(
      '# Changelog\n\nWords.\n\n## Unreleased\n\n## 0.2.0 - 2026-11-30\n\n- one\n- two\n\n## 0.1.0 - 2026-01-02\n\n- first\n',
    )
  })

  it('can be written for the next version again', () => {
    const once = changelogWith(page, '0.2.0', '2026-11-30').replace('Unreleased\n', 'Unreleased\n\n- three\n')
    expect(changelogWith(once, '0.3.0', '2026-12-24')).toContain(
      '## 0.3.0 - 2026-12-24\n\n- three\n\n## 0.2.0',
    )
  })

  it('is refused where nothing is unreleased, or the version is there', () => {
    expect(() => changelogWith('# Changelog\n\n## 0.1.0\n', '0.2.0', '')).toThrow(
      'no section "## Unreleased"',
    )
    expect(() => changelogWith('# C\n\n## Unreleased\n\n## 0.1.0\n\n- a\n', '0.2.0', '')).toThrow(
      'has nothing under',
    )
    expect(() => changelogWith(page, '0.1.0', '')).toThrow('already has a section for 0.1.0')
  })
})

it('a manifest and the lock file get the version where they name what is ours', () => {
  const lock = {
    version: '0.1.0',
    packages: {
      '': { version: '0.1.0' },
      'packages/hub': { name: '@farhand/hub', version: '0.1.0' },
      'node_modules/zod': { version: '4.6.7' },
      'node_modules/@farhand/hub': { resolved: 'packages/hub', link: true },
    },
  }
  const { version, packages } = JSON.parse(manifestWith(JSON.stringify(lock), '0.2.0'))
  expect([version, packages[''].version, packages['packages/hub'].version]).toEqual([
    '0.2.0',
    '0.2.0',
    '0.2.0',
  ])
  expect(packages['node_modules/zod'].version).toBe('4.6.7')
  expect(packages['node_modules/@farhand/hub']).toEqual({ resolved: 'packages/hub', link: true })
})
