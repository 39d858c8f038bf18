import { afterEach } from 'vitest'
import { Visit } from './visit.ts'

// Vitest runs this anew for each test file.
afterEach(async ({ task }) => {
  if (task.result?.state === 'fail') for (const shown of await Visit.allShown()) console.error(shown)
})
