-- name: put_voucher
INSERT INTO vouchers (entry_id, source, tag, lineage, text_mac, at, mac) VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (entry_id) DO UPDATE SET source = excluded.source, tag = excluded.tag, lineage = excluded.lineage,
    text_mac = excluded.text_mac, at = excluded.at, mac = excluded.mac;

-- name: mark_vouched
UPDATE entries SET vouched = (text_mac = ?2) WHERE id = ?1;

-- name: all_vouchers
SELECT entry_id, source, tag, lineage, text_mac, mac FROM vouchers;

-- name: find_vouchers
SELECT entry_id, source, tag, lineage, text_mac, mac FROM vouchers WHERE entry_id IN (SELECT value FROM json_each(?));

-- name: forget_vouchers
DELETE FROM vouchers WHERE entry_id IN (SELECT value FROM json_each(?));
