import process from 'node:process'
import { expect, it } from 'vitest'
import { ProgramProcess } from './program-process.ts'

class Talking extends ProgramProcess {
  readonly heard: string[] = []

  constructor() {
    super('the talking program')
  }

  spawn(program: string): Promise<string> {
    return this.begin([process.execPath, '-e', program], (line) => this.heard.push(line))
  }
}

it('a line that its writer was killed in the middle of is none', async () => {
  const talking = new Talking()
  const program = `process.stdout.write('{"is":"whole"}\\n{"is":"cut'); setInterval(() => {}, 1000)`
  expect(await talking.spawn(program)).toBe('{"is":"whole"}')
  expect(await talking.kill()).toBeNull()
  // What it had written is read to its end before the next life has said anything.
  expect(await talking.spawn(`console.log('again'); setInterval(() => {}, 1000)`)).toBe('again')
  await talking.kill()
  expect(talking.heard).toEqual(['{"is":"whole"}', 'again'])
})

it('a program that ends before it has said anything says why', async () => {
  const program = `console.error('no room'); process.exitCode = 3`
  await expect(new Talking().spawn(program)).rejects.toThrow(
    'the talking program ended before it had begun (3)',
  )
})
