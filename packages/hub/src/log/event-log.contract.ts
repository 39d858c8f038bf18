import { copiedLogsContract } from './copied-logs.contract.ts'
import { logReadersContract } from './log-readers.contract.ts'
import { logUnderTest, type MakeLog } from './log-under-test.ts'
import { logWritersContract } from './log-writers.contract.ts'
import { storedEventsContract } from './stored-events.contract.ts'

/** What every event log must do. */
export function eventLogContract(make: MakeLog): void {
  const tested = logUnderTest(make)
  storedEventsContract(tested)
  logWritersContract(tested)
  logReadersContract(tested)
  copiedLogsContract(tested)
}
