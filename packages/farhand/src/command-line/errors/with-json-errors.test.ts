import { expect, it } from 'vitest'
import { testContext } from '../../context/command-context-under-test.ts'
import { withJsonErrors } from './with-json-errors.ts'

const failing = (error: object) => async () => {
  throw Object.assign(new Error('no space left on device, write'), error)
}

it('a full disk is told with the folder it is about and what to do, to readers of JSON too', async () => {
  const context = testContext()
  const failed = withJsonErrors({ json: true, state: '/state' }, context, failing({ code: 'ENOSPC' }))
  const nextStep = expect.stringContaining('Free some space')
  await expect(failed).rejects.toMatchObject({
    exit: 'failed',
    message: 'The disk of /state is full.',
    nextStep,
  })
  expect(JSON.parse(context.ran().out)).toMatchObject({ code: 'failed', nextStep })
  const elsewhere = failing({ code: 'EDQUOT', path: '/other/runs/run.json' })
  await expect(withJsonErrors({ state: '/state' }, context, elsewhere)).rejects.toThrow(
    'The disk of /other/runs is',
  )
})

it('a system that watches no more files, and all else, is not taken for a full disk', async () => {
  for (const error of [{ code: 'ENOSPC', syscall: 'watch' }, { code: 'EIO' }])
    await expect(withJsonErrors({}, testContext(), failing(error))).rejects.toMatchObject({ name: 'Error' })
})
