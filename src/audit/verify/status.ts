import type {
  FederatedInteraction,
  InteractionStatus,
  RevisionStatus,
} from '../../kernel/federated-interaction.js';
import { failure, type Flaw } from './check-result.js';

interface Rule {
  /** Whether a revision was ever accepted; undefined when either can be. */
  readonly accepted: boolean | undefined;
  /** The newest revision's possible statuses. */
  readonly newest: readonly RevisionStatus[];
}

/** Nothing stays proposed at the end, and only a successor supersedes. */
const RULES: Readonly<Record<InteractionStatus, Rule>> = {
  pending: { accepted: false, newest: ['proposed'] },
  active: { accepted: true, newest: ['proposed', 'accepted', 'rejected'] },
  rejected: { accepted: false, newest: ['rejected'] },
  expired: { accepted: undefined, newest: ['accepted', 'rejected'] },
  cancelled: { accepted: undefined, newest: ['accepted', 'rejected'] },
  completed: { accepted: true, newest: ['accepted', 'rejected'] },
};

/**
 * The interaction's status agrees with its revisions': active or completed needs an accepted one, a
 * proposal can be open only as the newest and while nothing has ended, and before the first accepted
 * revision a rejection would have ended everything.
 */
export function statusFlaw({ status, contractRevisions }: FederatedInteraction): Flaw | undefined {
  const statuses = contractRevisions.map((revision) => revision.status);
  const newest = statuses.at(-1);
  if (newest === undefined) return failure('no-revisions');
  const rule = RULES[status];
  const firstAccepted = statuses.indexOf('accepted');
  const accepted = firstAccepted !== -1;
  if (rule.accepted !== undefined && rule.accepted !== accepted) {
    return failure(
      'status-inconsistent',
      `${status} ${accepted ? 'with' : 'without'} an accepted revision`,
    );
  }
  if (!rule.newest.includes(newest)) {
    return failure('status-inconsistent', `${status} while the newest revision is ${newest}`);
  }
  for (const [index, earlier] of statuses.slice(0, -1).entries()) {
    const beforeForce = !accepted || index < firstAccepted;
    if (earlier === 'proposed' || (earlier === 'rejected' && beforeForce)) {
      return failure('status-inconsistent', `revision ${index + 1} is ${earlier}, not the newest`);
    }
  }
  return undefined;
}
