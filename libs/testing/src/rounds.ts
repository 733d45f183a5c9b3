/** How often each fault happens: FAULT_REPEATS, which `npm run test:faults` sets; once in `npm test`. */
export const faultRounds = Number(process.env.FAULT_REPEATS ?? 1);

/** Lets a fault happen so often, and says which time it is when there are several. */
export async function everyRound(fault: () => Promise<unknown>): Promise<void> {
  for (let round = 1; round <= faultRounds; round += 1) {
    await fault();
    if (faultRounds > 1) process.stdout.write(`      ${round} of ${faultRounds}\n`);
  }
}
