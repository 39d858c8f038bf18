import { afterAll } from 'vitest'
import { endOfFile } from './end-of-file.ts'

// Vitest runs this anew for each test file.
afterAll(endOfFile)
