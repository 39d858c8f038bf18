import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import { newId, ProjectId, RunId, UserId } from '@farhand/protocol/wire/ids'
import { describe, expect, it } from 'vitest'
import { readFileAddress, signFileAddress } from './file-address.ts'
import { mayUseProject, mayUseRun } from './may.ts'
import type { Principal } from './principal.ts'
import { readRunnerToken, runnerToken } from './runner-token.ts'
import { Secret } from './secret.ts'

const secret = new Secret(Buffer.alloc(32, 1))
const other = new Secret(Buffer.alloc(32, 2))
const run = newId(RunId, 'run')
const project = newId(ProjectId, 'prj')

describe('runner tokens', () => {
  it('W8 say their run and generation, and only to the hub that made them', () => {
    const token = runnerToken(secret, run, 3)
    expect(readRunnerToken(secret, token)).toEqual({ run, generation: 3 })
    expect(readRunnerToken(other, token)).toBeNull()
    expect(readRunnerToken(secret, token.replace('fhr_3', 'fhr_4'))).toBeNull()
    expect(readRunnerToken(secret, `${token}x`)).toBeNull()
    expect(readRunnerToken(secret, 'fh_something')).toBeNull()
  })
})

describe('file addresses', () => {
  const hash = `sha256_${'0'.repeat(64)}` as BlobHash
  const query = (address: string) => new URL(address, 'http://hub').searchParams

  it('W24 allow one action on one blob of one project until they expire', () => {
    const address = query(signFileAddress(secret, 'get', project, hash, 10_000))
    expect(readFileAddress(secret, 'get', hash, address, 9_000)).toEqual({ project, hash })
    expect(readFileAddress(secret, 'get', hash, address, 10_001)).toBeNull()
    expect(readFileAddress(secret, 'put', hash, address, 9_000)).toBeNull()
    expect(readFileAddress(other, 'get', hash, address, 9_000)).toBeNull()
  })
})

describe('authorization', () => {
  const [ada, bob] = [newId(UserId, 'usr'), newId(UserId, 'usr')]
  const user = (id: UserId): Principal => ({
    kind: 'user',
    user: id,
    name: 'ada',
    role: 'owner',
    author: { kind: 'web', id },
    session: null,
    device: null,
    tokenId: 'tok_1',
  })
  const runner: Principal = { kind: 'runner', run, generation: 1, author: { kind: 'runner', generation: 1 } }

  it('W2 a project is open to its owner alone, not even to the owner of the hub', () => {
    expect(mayUseProject(user(ada), { owner: ada })).toBe(true)
    expect(mayUseProject(user(bob), { owner: ada })).toBe(false)
    expect(mayUseProject(runner, { owner: ada })).toBe(false)
  })

  it('W8 a run is open to its owner and its runner alone', () => {
    expect(mayUseRun(user(ada), { id: run, owner: ada })).toBe(true)
    expect(mayUseRun(user(bob), { id: run, owner: ada })).toBe(false)
    expect(mayUseRun(runner, { id: run, owner: ada })).toBe(true)
    expect(mayUseRun(runner, { id: newId(RunId, 'run'), owner: ada })).toBe(false)
  })
})
