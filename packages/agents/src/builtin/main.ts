import process from 'node:process'
import { runBuiltin } from './run-builtin.ts'

runBuiltin(process.env)
