import { expect, inject, it } from 'vitest'
import { seeded } from './seeded.ts'

it('says of a failed drill with which seed it can be had again, and what is left of it', async () => {
  let seed = -1
  const failed = seeded(
    async (given) => {
      seed = given
      throw new Error('a file is lost')
    },
    () => 'everything is in /somewhere',
  )
  await expect(failed).rejects.toThrow()
  const asked = `npm test -- packages/testkit/src/seeded.test.ts --seed ${seed}${inject('long') ? ' --long' : ''}`
  await expect(failed).rejects.toThrow(
    `seed ${seed}: a file is lost\nagain with: ${asked}\neverything is in /somewhere`,
  )
  expect(Number.isSafeInteger(seed) && seed >= 0).toBe(true)
})
