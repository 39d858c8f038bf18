/** The notice that an agent was interrupted: its turn goes on in a new process. */
export const startsAgain = 'The agent was interrupted, and starts this message again.'
