import { expect, it } from 'vitest'
import { refsToSend } from './refs-to-send.ts'

const ref = (name: string) => ({ name, object: 'o', commit: 'c' })

it('where one stands goes along, what that is compared with and tags; not what others work on, nor the stash', () => {
  const all = [
    'refs/heads/topic',
    'refs/heads/main',
    'refs/heads/other',
    'refs/remotes/origin/main',
    'refs/remotes/origin/topic',
    'refs/remotes/origin/theirs',
    'refs/stash',
    'refs/tags/v1',
  ].map(ref)
  const standing = {
    branch: 'refs/heads/topic',
    upstream: 'refs/remotes/origin/topic',
    mainThere: 'refs/remotes/origin/main',
  }
  expect(refsToSend(all, standing).map(({ name }) => name)).toEqual([
    'refs/heads/topic',
    'refs/heads/main',
    'refs/remotes/origin/main',
    'refs/remotes/origin/topic',
    'refs/tags/v1',
  ])
  expect(refsToSend(all, { branch: null, upstream: null, mainThere: null })).toEqual([ref('refs/tags/v1')])
})
