/** The parts that may still have something to save when a runner ends; each call resolves when it is saved. */
export type ToSave = {
  setup: { stop(): Promise<unknown> }
  host: { stop(): Promise<unknown> }
  memory: { saved(): Promise<unknown> } | null
  shells: { stop(): Promise<unknown> }
  answers: { idle(): Promise<unknown> }
  /** Resolves when what was done in the workspace is in the log. */
  settled(): Promise<unknown>
  checkpoints: { last(): Promise<unknown> } | null
}

/** Saves everything before a runner ends. The order matters: each step may give later ones something to save. */
export async function saveAll({
  setup,
  host,
  memory,
  shells,
  answers,
  settled,
  checkpoints,
}: ToSave): Promise<void> {
  await setup.stop()
  await host.stop()
  // The agent's own files are complete only after it has ended.
  await memory?.saved()
  await shells.stop()
  await answers.idle()
  // From here on, nothing in the sandbox writes files.
  await settled()
  // Last, as a checkpoint is a commit of what the log has.
  await checkpoints?.last()
}
