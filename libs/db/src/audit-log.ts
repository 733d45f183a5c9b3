import { type InferSchemaType, model, Schema } from 'mongoose';

/** Changes by administrators: who, what, before, after. Append-only, and never contains a secret. */
const auditLogSchema = new Schema(
  {
    at: { type: Date, required: true },
    actorId: { type: Number, required: true },
    actorName: { type: String, default: '' },
    action: { type: String, required: true },
    target: { type: String, required: true },
    before: { type: Schema.Types.Mixed },
    after: { type: Schema.Types.Mixed },
  },
  { versionKey: false },
);
auditLogSchema.index({ at: -1 });
auditLogSchema.index({ target: 1, at: -1 });
auditLogSchema.index({ action: 1, at: -1 });
auditLogSchema.index({ actorName: 1, at: -1 });
auditLogSchema.index({ actorId: 1, at: -1 });

export type AuditLogDoc = InferSchemaType<typeof auditLogSchema>;
export const AuditLog = model('AuditLog', auditLogSchema, 'audit_log');
