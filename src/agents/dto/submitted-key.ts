import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsString } from 'class-validator';
import { IsKeyId, IsMoment, MaxCharacters, Nested } from '../../http/dto-checks.js';
import { IfPresent } from '../../http/dto-pipe.js';
import { KEY_ID_FORM, type KeyId } from '../../kernel/ids.js';
import type { JsonPointer } from '../../kernel/json.js';
import type { Rejection } from '../../kernel/rejection.js';
import { err, ok, type Result } from '../../kernel/result.js';
import type { Timestamp } from '../../kernel/timestamp.js';
import type { KeySubmission } from '../domain/key-registration.js';

/** Only the public members of an OKP JWK: a private one has no business here, and is refused. */
export class SubmittedJwk {
  @ApiProperty({ enum: ['OKP'] })
  @IsString()
  @MaxCharacters(16)
  readonly kty!: string;

  @ApiProperty({ enum: ['Ed25519'] })
  @IsString()
  @MaxCharacters(16)
  readonly crv!: string;

  @ApiProperty({ description: 'base64url of the 32 bytes of the point: 43 characters' })
  @IsString()
  @MaxCharacters(256)
  readonly x!: string;
}

export class ProofOfPossession {
  @ApiProperty({ format: 'date-time', description: 'Near the clock of the service' })
  @IsMoment()
  readonly signedAt!: Timestamp;

  @ApiProperty({
    description:
      'base64url of the Ed25519 signature by the new key over the `agent/key-proof` statement: 86 characters',
  })
  @IsString()
  @MaxCharacters(256)
  readonly value!: string;
}

export class SubmittedKey {
  @ApiProperty({
    type: String,
    pattern: `^${KEY_ID_FORM}$`,
    description: 'A name that no key of this agent ever had',
  })
  @IsKeyId()
  readonly keyId!: KeyId;

  @ApiPropertyOptional({ type: () => SubmittedJwk, description: 'Either this or `spki`' })
  @IfPresent()
  @Nested(() => SubmittedJwk)
  readonly jwk?: SubmittedJwk;

  @ApiPropertyOptional({
    description: 'base64url of the DER of a SubjectPublicKeyInfo (RFC 8410): 59 characters',
  })
  @IfPresent()
  @IsString()
  @MaxCharacters(256)
  readonly spki?: string;

  @ApiProperty({ type: () => ProofOfPossession })
  @Nested(() => ProofOfPossession)
  readonly proof!: ProofOfPossession;
}

/** Refuses with `request-invalid` unless the key is given in exactly one of its forms. */
export function keySubmissionOf(
  key: SubmittedKey,
  pointer: JsonPointer,
): Result<KeySubmission, Rejection> {
  const { keyId, jwk, spki } = key;
  const proof = { signedAt: key.proof.signedAt, value: key.proof.value };
  if (jwk !== undefined && spki === undefined) {
    const { kty, crv, x } = jwk;
    return ok({ keyId, material: { form: 'jwk', kty, crv, x }, proof });
  }
  if (spki !== undefined && jwk === undefined) {
    return ok({ keyId, material: { form: 'spki', spki }, proof });
  }
  const detail = 'must have exactly one of jwk and spki';
  return err({ code: 'request-invalid', faults: [{ pointer, detail }] });
}
