import fc from 'fast-check'
import { afterAll, inject } from 'vitest'
import { endOfFile } from './end-of-file.ts'

// Vitest runs this anew for each test file.
afterAll(endOfFile)

// Without one, fast-check takes another seed in each run.
const seed = inject('seed')
if (seed !== null) fc.configureGlobal({ seed })
