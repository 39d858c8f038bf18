import process from 'node:process'
import { runRehearsal } from './run-rehearsal.ts'

runRehearsal(process.env)
