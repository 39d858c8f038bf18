import { expect, it } from 'vitest'
import { workerProgram } from './worker-program.ts'

const builderOf = (program: string) =>
  new URL(
    `data:text/javascript,let made = 0; export const workerBundle = async () => '${program} ' + (made += 1)`,
  )

it('a program is made once, for all callers, at the same time or later', async () => {
  const [first, second] = await Promise.all([workerProgram(builderOf('a')), workerProgram(builderOf('a'))])
  expect([first, second, await workerProgram(builderOf('a'))]).toEqual(['a 1', 'a 1', 'a 1'])
})

it('each builder makes a program of its own', async () => {
  expect(await Promise.all(['b', 'c'].map((name) => workerProgram(builderOf(name))))).toEqual(['b 1', 'c 1'])
})

it('a program that cannot be made says why to its caller', async () => {
  const broken = new URL(
    `data:text/javascript,export const workerBundle = async () => { throw new Error('no') }`,
  )
  await expect(workerProgram(broken)).rejects.toThrow('no')
})
