import { setTimeout as sleep } from 'node:timers/promises';
import type { EvidenceBundle } from '../../kernel/evidence-bundle.js';
import type { InteractionId } from '../../kernel/ids.js';
import { millisecondsOf, timestampOf } from '../../kernel/timestamp.js';
import { counted } from '../counted.js';
import { checksOf, type Auditor, type Told } from './auditor.js';
import { expectEqual } from './call-expectations.js';
import type { DemoAgent } from './demo-agent.js';
import { DAY } from './demo-contract.js';
import { expectStatus, text, type Narrator } from './story.js';

/** Who plays in the story. */
export interface AuditCast {
  readonly auditor: Auditor;
  /** Both signed what was agreed and completed. */
  readonly parties: readonly [DemoAgent, DemoAgent];
  readonly interactionId: InteractionId;
}

/** What the service does by itself takes no longer, in milliseconds. */
const PATIENCE = 10_000;

/**
 * Somebody who trusts nothing but a verifier key of the log recomputes one interaction, then all of
 * the log, then what an erasure leaves. Throws at the first surprise.
 */
export async function playAuditStory(cast: AuditCast, say: Narrator): Promise<void> {
  await verifyEvidence(cast, say);
  await auditLog(cast, say);
  await eraseTexts(cast, say);
}

async function verifyEvidence({ auditor, interactionId }: AuditCast, say: Narrator): Promise<void> {
  say('22. An auditor takes the evidence of the translation, and verifies it offline');
  say(`   with nothing but the log's verifier key: ${auditor.verifierKey}`);
  const bundle = await auditor.evidence(interactionId);
  const verified = await auditor.verify(bundle, 'evidence.json');
  expectEqual(verified.exitCode, 0);
  tell(verified, say);
  const forged = await auditor.verify(backdated(bundle), 'forged.json');
  expectEqual(forged.exitCode, 1);
  say('   the same file, but somebody made the completion a day older:');
  for (const line of checksOf(forged, 'failed')) say(`   ${line}`);
}

async function auditLog({ auditor }: AuditCast, say: Narrator): Promise<void> {
  say('23. “countersign audit” recomputes the whole log, and compares it with the service');
  const events = await auditor.countEvents();
  const size = await eventually(
    () => auditor.checkpointSize(),
    (covered) => covered >= events,
  );
  if (size < events) throw new Error(`the checkpoint covers ${String(size)} of ${String(events)}`);
  const audited = await auditor.audit();
  for (const line of audited.lines) say(`   ${line}`);
  expectEqual(audited.exitCode, 0);
  const interactions = await auditor.countInteractions();
  const compared = `${counted(interactions, 'interaction')} compared with the service, 0 differ`;
  if (!audited.lines.includes(compared)) throw new Error(`the audit does not say: ${compared}`);
}

async function eraseTexts(
  { auditor, parties, interactionId }: AuditCast,
  say: Narrator,
): Promise<void> {
  say('24. Both parties sign that the texts may go; what happened stays proved');
  for (const party of parties) {
    const { waitingOn } = expectStatus(await party.consentToErasure(interactionId), 201);
    say(`   ${party.agentId} consents; still to be asked: ${text(waitingOn) || 'nobody'}`);
  }
  const { status, body } = await eventually(
    () => parties[0].get(`/v1/interactions/${interactionId}`),
    (answer) => answer.status !== 200,
  );
  expectEqual([status, body['code'] ?? null], [410, 'interaction-erased']);
  say(`   ${String(status)} ${text(body['code'])}: ${text(body['detail'])}`);

  const bundle = await auditor.evidence(interactionId);
  expectEqual([bundle.document === null, bundle.dataKey], [true, null]);
  const remaining = await auditor.verify(bundle, 'evidence-erased.json');
  expectEqual(remaining.exitCode, 3);
  for (const line of checksOf(remaining, 'erased')) say(`   ${line}`);
  tell(remaining, say);
  expectEqual(remaining.lines.at(-1)?.endsWith('(only erased texts)') ?? false, true);
}

/** How many checks came to which verdict, and the verdict on all of them. */
function tell({ lines }: Told, say: Narrator): void {
  for (const line of lines.slice(-2)) say(`   ${line}`);
}

/** The first answer that is as wanted, or the last one before patience runs out. */
async function eventually<T>(ask: () => Promise<T>, isWanted: (answer: T) => boolean): Promise<T> {
  const end = Date.now() + PATIENCE;
  for (;;) {
    const answer = await ask();
    if (isWanted(answer) || Date.now() > end) return answer;
    await sleep(50);
  }
}

/** The bundle with one member changed: when its interaction was completed, as the log has it. */
export function backdated(bundle: EvidenceBundle): EvidenceBundle {
  const stream = `interaction-${bundle.interactionId}`;
  const entries = (bundle.streams[stream] ?? []).map((entry) => {
    if (!('envelope' in entry) || entry.envelope.type !== 'interaction-completed') return entry;
    const recordedAt = timestampOf(millisecondsOf(entry.envelope.recordedAt) - DAY);
    return { ...entry, envelope: { ...entry.envelope, recordedAt } };
  });
  return { ...bundle, streams: { ...bundle.streams, [stream]: entries } };
}
