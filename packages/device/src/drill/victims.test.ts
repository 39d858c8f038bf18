import { describe, expect, it } from 'vitest'
import { processesOf } from './victims.ts'

const folder = '/data/sandboxes/sbx_1'
const row = (pid: number, parent: number, words: string) => ({ pid, parent, words })
const table = [
  row(1, 0, 'init'),
  row(10, 1, `/bin/sh -c … farhand-sandbox ${folder} bwrap … node farhand.cjs runner --letter`),
  row(11, 10, 'bwrap --args 3 node farhand.cjs runner --letter'),
  row(12, 11, 'bwrap --args 3 node farhand.cjs runner --letter'),
  row(13, 12, 'node farhand.cjs runner --letter'),
  row(14, 13, 'node farhand.cjs agent rehearsal'),
  row(15, 13, 'git cat-file --batch'),
  row(16, 14, 'sleep 1'),
  row(17, 13, 'nice -n 10 /usr/bin/git fast-import'),
  row(20, 1, `/bin/sh -c … farhand-sandbox ${folder}0 node farhand.cjs runner --letter`),
  row(21, 20, 'node farhand.cjs runner --letter'),
]

describe('what is killed', () => {
  it('is everything in the sandbox, and nothing of another', () => {
    expect(processesOf('sandbox', folder, table)).toEqual([10, 11, 12, 13, 14, 15, 17, 16])
  })

  it('is the runner and not what started it', () => {
    expect(processesOf('runner', folder, table)).toEqual([13])
  })

  it('is the agent and not what else its runner has started', () => {
    expect(processesOf('agent', folder, table)).toEqual([14])
  })

  it('is nothing where there is no such sandbox', () => {
    expect(processesOf('sandbox', '/data/sandboxes/sbx_2', table)).toEqual([])
  })
})
