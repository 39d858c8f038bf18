import { expect, it } from 'vitest'
import { testContext } from '../../context/command-context-under-test.ts'
import { nameOrChoice } from './name-or-choice.ts'

const among = [{ name: 'NPM', says: 'variable' }, { name: 'GITHUB' }]
const choice = { what: 'secret', among, none: 'Keep one.', json: undefined }
const asked = (answer: string) => testContext({ terminal: true, ask: async () => answer })

it('a name that was given is taken as it is', async () => {
  expect(await nameOrChoice('other', choice, testContext())).toBe('other')
})

it('a name that is missing is chosen from a list at a terminal, by number or by name', async () => {
  const context = asked('2')
  expect(await nameOrChoice(undefined, choice, context)).toBe('GITHUB')
  expect(context.ran().notes).toMatch(/Which secret\?\n {2}1 {2}NPM {5}variable\n {2}2 {2}GITHUB\n/)
  expect(await nameOrChoice(undefined, choice, asked('NPM'))).toBe('NPM')
})

it('elsewhere trouble lists what there is, and for programs too', async () => {
  const message = 'Which secret? There are: NPM, GITHUB.'
  await expect(nameOrChoice(undefined, choice, testContext())).rejects.toMatchObject({
    exit: 'usage',
    message,
  })
  const json = nameOrChoice(undefined, { ...choice, json: true }, asked('1'))
  await expect(json).rejects.toMatchObject({ message })
})

it('with nothing to choose from, or when the list is left, nothing is done', async () => {
  const empty = nameOrChoice(undefined, { ...choice, among: [] }, asked('1'))
  await expect(empty).rejects.toMatchObject({
    message: 'There is no secret to choose from.',
    nextStep: 'Keep one.',
  })
  await expect(nameOrChoice(undefined, choice, asked(''))).rejects.toMatchObject({
    message: 'No secret was chosen, and nothing was done.',
  })
})
