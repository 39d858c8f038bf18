import { describe, expect, it } from 'vitest'
import { commandFor } from '../../command-line/run-command.ts'
import { testContext } from '../../context/command-context-under-test.ts'
import { commandTree } from './command-tree.ts'
import { completions, type Known } from './completions.ts'

const tree = commandTree(commandFor(testContext()))
const lists: Record<string, string[]> = {
  run: ['run_4fJ2', 'run_9aBc'],
  agent: ['builtin', 'rehearsal'],
  folder: ['/home/ada/project'],
  hub: ['http://127.0.0.1:7717'],
}
const known: Known = (kind) => (lists[kind] ?? []).map((word) => ({ word, says: '' }))
const after = (...words: string[]) => {
  const { candidates, also } = completions(tree, words, known)
  return [...candidates.map(({ word }) => word), ...(also ? [`:${also}`] : [])]
}

describe('what Tab offers', () => {
  it('are commands at first, and none that is hidden', () => {
    expect(after('')).toEqual(expect.arrayContaining(['run', 'undo', 'doctor', 'user']))
    for (const hidden of ['runner', 'agent', 'tree', 'complete', 'help'])
      expect(after('')).not.toContain(hidden)
    expect(after('und')).toEqual(['undo'])
    expect(after('nonsense')).toEqual([])
  })

  it('are commands of a command, also of one that is called by its other name, and after help', () => {
    expect(after('user', '')).toEqual(['list', 'add', 'token', 'tokens', 'password', 'revoke'])
    expect(after('help', 'us')).toEqual(['user'])
    expect(after('start', '--por')).toEqual(['--port'])
  })

  it('are the options of the command, and what one of them takes', () => {
    expect(after('run', '--poli')).toEqual(['--policy'])
    expect(after('run', '--policy', '')).toEqual(['ask', 'deny', 'allow-edits', 'allow-all'])
    expect(after('run', '--policy=al')).toEqual(['--policy=allow-edits', '--policy=allow-all'])
    expect(after('run', '--policy', 'deny', '--agent', 'b')).toEqual(['builtin'])
    expect(after('run', '--sandbox', 'b')).toEqual(['bubblewrap'])
    expect(after('run', '--sandbox', '--netw')).toEqual(['--network'])
  })

  it('are the runs, folders and hubs that there are', () => {
    expect(after('close', 'run_')).toEqual(['run_4fJ2', 'run_9aBc'])
    expect(after('send', 'run_4fJ2', '')).toEqual([])
    expect(after('link', '')).toEqual(['/home/ada/project', ':folders'])
    expect(after('history', 'src/')).toEqual([':files'])
    expect(after('ls', '--hub', '')).toEqual(['http://127.0.0.1:7717'])
    expect(after('run', '--clone', '')).toEqual([])
    expect(after('logout', '')).toEqual(['http://127.0.0.1:7717'])
    expect(after('diff', 'run_4')).toEqual(['run_4fJ2', ':files'])
    expect(after('completion', '')).toEqual(['bash', 'zsh', 'fish'])
  })

  it('is no option after --, where everything is a word', () => {
    expect(after('close', '--', '-')).toEqual([])
    expect(after('close', '--', 'run_4')).toEqual(['run_4fJ2'])
  })

  it('looks up nothing that was not asked for', () => {
    const never: Known = () => expect.unreachable()
    expect(completions(tree, ['close', '--js'], never).candidates).toHaveLength(1)
  })
})
